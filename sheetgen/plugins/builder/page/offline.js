// Keeps the page's files, so that it works without a network from the second visit on.
const OURS = `sheetgen-${new URL(registration.scope).pathname}-`;
const NAME = `${OURS}@version@`;
const FILES = @files@;
addEventListener("install", (event) => event.waitUntil(caches.open(NAME).then((kept) => kept.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith(OURS) && name !== NAME).map((name) => caches.delete(name)))).then(() => clients.claim())));
addEventListener("fetch", (event) => event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request))));
