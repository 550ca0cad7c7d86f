// Keeps the page, the default model and the texts in the browser, so that a workshop goes on without a network.
// `cargo xtask build` writes FILES: every file of the page with its digest. A file is kept under its path and digest, so an
// update fetches only what has changed.
const FILES = new Map(/* files */);
const CACHE = 'fairbits';

const folder = new URL('./', self.location);
const key = (path) => new URL(`${path}?sha256=${FILES.get(path)}`, folder).href;
// Where a request goes among FILES; null where it is none of them.
const pathOf = (url) => {
  if (url.origin !== folder.origin || !url.pathname.startsWith(folder.pathname)) return null;
  const path = decodeURIComponent(url.pathname.slice(folder.pathname.length)) || 'index.html';
  return FILES.has(path) ? path : null;
};

const keep = async () => {
  const cache = await caches.open(CACHE);
  for (const path of FILES.keys()) {
    if (await cache.match(key(path))) continue;
    const response = await fetch(new URL(path, folder), { cache: 'no-cache' });
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    await cache.put(key(path), response);
  }
};

// Only now, when no page of the older version is open any more, nothing needs its files.
const forget = async () => {
  const cache = await caches.open(CACHE);
  const kept = new Set([...FILES.keys()].map(key));
  for (const request of await cache.keys()) {
    if (!kept.has(request.url)) await cache.delete(request);
  }
  await self.clients.claim();
};

const part = async (whole, range) => {
  const bytes = await whole.blob();
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  if (from === undefined || Number(from) >= bytes.size) {
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${bytes.size}` } });
  }
  const end = to === '' ? bytes.size : Math.min(Number(to) + 1, bytes.size);
  const headers = { 'Content-Range': `bytes ${from}-${end - 1}/${bytes.size}`, 'Content-Length': `${end - from}`, 'Accept-Ranges': 'bytes' };
  return new Response(bytes.slice(Number(from), end), { status: 206, headers });
};

const answer = async (path, request) => {
  const kept = await (await caches.open(CACHE)).match(key(path));
  if (!kept) return fetch(request);
  const range = request.headers.get('Range');
  return range ? part(kept, range) : kept;
};

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(forget()));
self.addEventListener('message', (event) => { if (event.data === 'take over') self.skipWaiting(); });
self.addEventListener('fetch', (event) => {
  const path = event.request.method === 'GET' && pathOf(new URL(event.request.url));
  if (path) event.respondWith(answer(path, event.request));
});
