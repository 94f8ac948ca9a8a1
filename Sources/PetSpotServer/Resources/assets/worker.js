// Where a page cannot be loaded, the one that page.js has put aside is shown. Nothing else is kept or changed; the
// browser itself asks for pages, as it does without a worker.
"use strict";
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(Promise.all([registration.navigationPreload?.enable(), clients.claim()])));
addEventListener("fetch", (event) => {
  const { mode, method } = event.request;
  if (mode !== "navigate" || method !== "GET") return;
  const load = async () => (await event.preloadResponse) || fetch(event.request);
  const aside = () => caches.match("/offline", { ignoreVary: true });
  event.respondWith(load().catch(async (fault) => (await aside()) ?? Promise.reject(fault)));
});
