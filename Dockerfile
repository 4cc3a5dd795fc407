# docker build -t sheetgen .
# docker run --rm -v "$PWD:/work" -u "$(id -u)" sheetgen sheet hero.yaml
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip python3-venv
WORKDIR /src
COPY . .
# The lock has the versions that the tests ran with; equal sources give equal files.
ENV SOURCE_DATE_EPOCH=1577836800
RUN python3 -m venv --without-pip /opt/sheetgen \
 && python3 -m pip --python /opt/sheetgen/bin/python install --no-cache-dir --no-compile --constraint=requirements.lock . \
 && find /opt/sheetgen \( -name "*.c" -o -name "*.h" -o -name "*.pxd" -o -name "*.pyi" -o -name "*.pyx" \) -delete

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY --from=build /opt/sheetgen /opt/sheetgen
ENV PATH=/opt/sheetgen/bin:$PATH XDG_CACHE_HOME=/tmp/cache PYTHONDONTWRITEBYTECODE=1
USER nobody
WORKDIR /work
ENTRYPOINT ["sheetgen"]
CMD ["--help"]
