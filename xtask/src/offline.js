// Keeps the page, the default model and the texts in the browser, so that a workshop goes on without a network.
// `cargo xtask build` writes FILES: every file of the page with its digest. A file is kept under its path and digest, so an
// update fetches only what has changed. What is not what its digest says is neither kept nor served.
const FILES = new Map(/* files */);

const folder = new URL('./', self.location);
// All sites of an origin share its caches: each has one of its own, by its address.
const CACHE = `fairbits ${folder.pathname}`;
// Before that there was one for all.
const FORMER = 'fairbits';
const key = (path) => new URL(`${path}?sha256=${FILES.get(path)}`, folder).href;
// Where a request goes among FILES; null where it is none of them.
const pathOf = (url) => {
  if (url.origin !== folder.origin || !url.pathname.startsWith(folder.pathname)) return null;
  const path = decodeURIComponent(url.pathname.slice(folder.pathname.length)) || 'index.html';
  return FILES.has(path) ? path : null;
};

// Files whose bytes were held against their digest since this worker was started.
const seen = new Set();
const sound = async (path, response) => {
  if (seen.has(path)) return true;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await response.arrayBuffer()));
  const right = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('') === FILES.get(path);
  if (right) seen.add(path);
  return right;
};

// A file as it is kept; null where it is not, or not what it should be.
const kept = async (cache, path) => {
  const found = await cache.match(key(path));
  if (!found || await sound(path, found.clone())) return found ?? null;
  await cache.delete(key(path));
  return null;
};

// A file from the network, and into the cache. The browser itself refuses bytes of another digest.
const fetched = async (cache, path) => {
  const bytes = FILES.get(path).match(/../g).map((pair) => parseInt(pair, 16));
  const integrity = `sha256-${btoa(String.fromCharCode(...bytes))}`;
  const ask = (cache) => fetch(new URL(path, folder), { cache, integrity });
  let response = await ask('no-cache');
  // Of a file that the page has read in parts, Chromium may hand out the whole as a part, which no cache takes.
  if (response.status === 206) response = await ask('reload');
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
  await cache.put(key(path), response.clone());
  seen.add(path);
  return response;
};

const keep = async () => {
  const cache = await caches.open(CACHE);
  for (const path of FILES.keys()) {
    if (!await kept(cache, path)) await fetched(cache, path);
  }
};

// Only now, when no page of the older version is open any more, nothing needs its files.
const forget = async () => {
  const cache = await caches.open(CACHE);
  const wanted = new Set([...FILES.keys()].map(key));
  for (const request of await cache.keys()) {
    if (!wanted.has(request.url)) await cache.delete(request);
  }
  if (await caches.has(FORMER)) {
    const former = await caches.open(FORMER);
    for (const request of await former.keys()) {
      if (request.url.startsWith(folder.href)) await former.delete(request);
    }
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
  const cache = await caches.open(CACHE);
  let file = await kept(cache, path);
  // A cache that was damaged heals here. Where the network has another file by now, the page gets that, and nothing is kept.
  file ??= await fetched(cache, path).catch(() => null);
  if (!file) return fetch(request);
  const range = request.headers.get('Range');
  return range ? part(file, range) : file;
};

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(forget()));
self.addEventListener('message', (event) => { if (event.data === 'take over') self.skipWaiting(); });
self.addEventListener('fetch', (event) => {
  const path = event.request.method === 'GET' && pathOf(new URL(event.request.url));
  if (path) event.respondWith(answer(path, event.request));
});
