// Where a page cannot be loaded, the one that page.js has put aside is shown. Nothing else is kept or changed; the
// browser itself asks for pages, as it does without a worker.
"use strict";
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(Promise.all([registration.navigationPreload?.enable(), clients.claim()])));
addEventListener("fetch", (event) => {
  const { mode, destination, method } = event.request;
  const isPage = mode === "navigate" && method === "GET";
  if (!isPage && destination !== "style") return;
  const load = async () => (isPage && (await event.preloadResponse)) || fetch(event.request);
  const aside = () => caches.match(isPage ? "/offline" : event.request, { ignoreVary: true });
  event.respondWith(load().catch(async (fault) => (await aside()) ?? Promise.reject(fault)));
});
