// The page's first script, and its only one that is not compiled. It runs before anything else is fetched, in plain old
// syntax, so that a browser that cannot run the rest can still say so.
(function () {
  'use strict';
  var own = document.currentScript;

  // Where the page may connect: its own site, and what the person has allowed (src/ui/consent.rs keeps the list). A policy
  // can only be made narrower once it stands, so whoever allows another host loads the page again.
  var allowed = [];
  try {
    allowed = JSON.parse(localStorage.getItem('fairbits-allowed') || '[]');
  } catch (unreadable) {
    // Nothing is allowed then.
  }
  var source = /^https?:\/\/(\*\.)?[a-z0-9._-]+(:[0-9]+)?$/;
  var policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = ["connect-src 'self'"].concat([].concat(allowed).filter(function (of) { return source.test(of); })).join(' ');
  document.head.appendChild(policy);

  // A function with one instruction of the 128-bit kind, which both programs of the page are made of.
  var simd = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ]);
  var able = typeof WebAssembly === 'object' && WebAssembly.validate(simd);

  function stop(id) {
    document.getElementById('status').setAttribute('data-state', 'stopped');
    document.querySelector('#status span + span').textContent = 'The engine cannot run here.';
    document.getElementById(id).hidden = false;
  }

  document.addEventListener('DOMContentLoaded', function () {
    if (!able) return stop('without-simd');
    // A letter of each script of public/styles/fonts.css, before the app draws any: what was drawn without a font stays so.
    if (document.fonts) document.fonts.load('13px "Fairbits Scripts"', '\u0985\u65e5\u0905\u12a0\u10d0\u1780\u0b85\u0e01\u0f40');
    var at = function (name) { return new URL(name, document.baseURI).href; };
    import(at(own.dataset.app)).then(function (app) {
      return app.default({ module_or_path: at(own.dataset.wasm) });
    }).catch(function (fault) {
      console.error(fault);
      // What is there already says by itself what failed.
      if (document.getElementById('not-loaded')) stop('not-loaded');
    });
  });
})();
