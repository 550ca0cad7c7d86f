// `node run.mjs kernel_bench.wasm [--chromium PATH] [--shapes 256x768x768,…] [--forward] [--rounds N] [--sample SECONDS]
// [--cpu-time]` measures a module already built, under Node or under a headless Chromium, and prints one line of JSON per
// shape: GFLOP/s of each contender, best of all rounds, the contenders taking turns.
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs in Node and in the page alike. */
function measure(bytes, { shapes, rounds, withForward, sample }, clock) {
  const lines = [];
  const parts = new Float64Array(6);
  const env = { now: clock, spent: (part, ms) => { parts[part] += ms; } };
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports;
  // `ours` comes last, so that `difference` compares it with a peer.
  const contenders = ['q8', 'q4', 'gemm', 'matrixmultiply', 'ours'];
  for (const [m, k, n] of shapes) {
    wasm.prepare(m, k, n);
    const flops = 2 * m * k * n;
    // `sample` seconds at 30 GFLOP/s, long enough that the clock's grain does not matter.
    const repeats = Math.max(1, Math.round(sample * 30e9 / flops));
    const best = {};
    for (let round = 0; round <= rounds; round++) {
      for (const name of contenders) {
        const start = clock();
        for (let i = 0; i < repeats; i++) wasm[name]();
        const rate = flops * repeats / (clock() - start) / 1e6;
        // Round 0 lets the engine compile.
        if (round > 0) best[name] = Math.max(best[name] ?? 0, rate);
      }
    }
    const difference = wasm.difference();
    if (!(difference < 1e-3)) throw new Error(`results differ by ${difference}`);
    const ratio = best.ours / Math.max(best.gemm, best.matrixmultiply);
    const round2 = x => Math.round(x * 100) / 100;
    lines.push({ shape: `${m}x${k}x${n}`, ours: round2(best.ours), gemm: round2(best.gemm),
      matrixmultiply: round2(best.matrixmultiply), ratio: round2(ratio),
      q8: round2(best.q8), q4: round2(best.q4) });
  }
  if (withForward) {
    for (const [name, tokens, width, layers, heads, vocab] of
      [['d128', 256, 128, 12, 4, 4096], ['small', 256, 768, 12, 12, 50257]]) {
      wasm.prepare_forward(tokens, width, layers, heads, vocab);
      wasm.forward();
      let best = Infinity, split = null;
      for (let round = 0; round < Math.min(8, rounds); round++) {
        parts.fill(0);
        const start = clock();
        wasm.forward();
        const ms = clock() - start;
        if (ms < best) { best = ms; split = Array.from(parts, x => Math.round(x * 100) / 100); }
      }
      const [matmul, attention, layer_norm, gelu, loss, rest] = split;
      lines.push({ forward: name, ms: Math.round(best * 10) / 10, matmul, attention, layer_norm, gelu, loss, rest });
    }
  }
  return lines;
}

function inChromium(chromium, bytes, settings) {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-bench-'));
  const page = join(folder, 'bench.html');
  // A script that runs before the load event: --dump-dom waits for it.
  writeFileSync(page, `<pre id="out"></pre><script>
    const bytes = Uint8Array.from(atob("${Buffer.from(bytes).toString('base64')}"), c => c.charCodeAt(0));
    ${measure}
    let text;
    try { text = measure(bytes, ${JSON.stringify(settings)}, () => performance.now()).map(l => JSON.stringify(l)).join('\\n'); }
    catch (e) { text = 'failed: ' + e; }
    document.getElementById('out').textContent = text;
  </script>`);
  try {
    const dom = execFileSync(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-quic',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--timeout=600000',
      `--user-data-dir=${folder}/profile`, '--dump-dom', `file://${page}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const text = /<pre id="out">([\s\S]*?)<\/pre>/.exec(dom)?.[1] ?? 'failed: no result';
    if (text.startsWith('failed')) throw new Error(text);
    return text.split('\n').map(line => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const args = process.argv.slice(2);
const option = name => { const i = args.indexOf(name); return i < 0 ? null : args.splice(i, 2)[1]; };
const flag = name => { const i = args.indexOf(name); return i >= 0 && args.splice(i, 1).length > 0; };
const chromium = option('--chromium');
const settings = {
  shapes: (option('--shapes') ?? '256x128x512,256x768x768,256x768x3072').split(',').map(s => s.split('x').map(Number)),
  rounds: Number(option('--rounds') ?? 8),
  sample: Number(option('--sample') ?? 0.02),
  withForward: flag('--forward'),
};
// Time of this process alone, for a machine that is shared; Node only.
const ownTime = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const clock = flag('--cpu-time') ? ownTime : () => performance.now();
const bytes = readFileSync(args[0]);
const lines = chromium ? inChromium(chromium, bytes, settings) : measure(bytes, settings, clock);
for (const line of lines) console.log(JSON.stringify({ engine: chromium ? 'chromium' : 'node', ...line }));
