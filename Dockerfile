# docker build -t sheetgen .
# docker run --rm -v "$PWD:/work" -u "$(id -u)" sheetgen sheet hero.yaml
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
COPY . .
# The lock has the versions that the tests ran with; equal sources give equal files.
ENV SOURCE_DATE_EPOCH=1577836800 PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_ROOT_USER_ACTION=ignore
RUN pip install --prefix=/install --constraint=requirements.lock .

FROM python:3.13-slim-bookworm
RUN apt-get update \
 && apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
 && rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/*
COPY --from=build /install /usr/local
ENV XDG_CACHE_HOME=/tmp/cache PYTHONDONTWRITEBYTECODE=1
USER nobody
WORKDIR /work
ENTRYPOINT ["sheetgen"]
CMD ["--help"]
