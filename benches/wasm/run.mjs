// Builds nothing: `node run.mjs kernel_bench.wasm [--chromium PATH] [--forward] [--rounds N]` measures the module under
// Node, or under a headless Chromium, and prints one line of JSON per shape.
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs in Node and in the page alike. */
function measure(bytes, rounds, withForward, sample) {
  const lines = [];
  const parts = new Float64Array(6);
  const env = { now: () => performance.now(), spent: (part, ms) => { parts[part] += ms; } };
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports;
  const contenders = ['ours', 'gemm', 'matrixmultiply'];
  for (const [m, k, n] of [[256, 128, 512], [256, 768, 768], [256, 768, 3072]]) {
    wasm.prepare(m, k, n);
    const flops = 2 * m * k * n;
    // `sample` seconds at 30 GFLOP/s, long enough that the clock's grain does not matter.
    const repeats = Math.max(1, Math.round(sample * 30e9 / flops));
    const best = {};
    for (let round = 0; round <= rounds; round++) {
      for (const name of contenders) {
        const start = performance.now();
        for (let i = 0; i < repeats; i++) wasm[name]();
        const rate = flops * repeats / (performance.now() - start) / 1e6;
        // Round 0 lets the engine compile.
        if (round > 0) best[name] = Math.max(best[name] ?? 0, rate);
      }
    }
    const difference = wasm.difference();
    if (!(difference < 1e-3)) throw new Error(`results differ by ${difference}`);
    const ratio = best.ours / Math.max(best.gemm, best.matrixmultiply);
    const round2 = x => Math.round(x * 100) / 100;
    lines.push({ shape: `${m}x${k}x${n}`, ours: round2(best.ours), gemm: round2(best.gemm),
      matrixmultiply: round2(best.matrixmultiply), ratio: round2(ratio) });
  }
  if (withForward) {
    for (const [name, tokens, width, layers, heads, vocab] of
      [['d128', 256, 128, 12, 4, 4096], ['small', 256, 768, 12, 12, 50257]]) {
      wasm.prepare_forward(tokens, width, layers, heads, vocab);
      wasm.forward();
      let best = Infinity, split = null;
      for (let round = 0; round < Math.max(3, rounds); round++) {
        parts.fill(0);
        const start = performance.now();
        wasm.forward();
        const ms = performance.now() - start;
        if (ms < best) { best = ms; split = Array.from(parts, x => Math.round(x * 100) / 100); }
      }
      const [matmul, attention, layer_norm, gelu, loss, rest] = split;
      lines.push({ forward: name, ms: Math.round(best * 10) / 10, matmul, attention, layer_norm, gelu, loss, rest });
    }
  }
  return lines;
}

function inChromium(chromium, bytes, rounds, withForward, sample) {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-bench-'));
  const page = join(folder, 'bench.html');
  // A script that runs before the load event: --dump-dom waits for it.
  writeFileSync(page, `<pre id="out"></pre><script>
    const bytes = Uint8Array.from(atob("${Buffer.from(bytes).toString('base64')}"), c => c.charCodeAt(0));
    ${measure}
    let text;
    try { text = measure(bytes, ${rounds}, ${withForward}, ${sample}).map(l => JSON.stringify(l)).join('\\n'); }
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
const rounds = Number(option('--rounds') ?? 8);
const withForward = flag('--forward');
const sample = Number(option('--sample') ?? 0.02);
const bytes = readFileSync(args[0]);
const lines = chromium ? inChromium(chromium, bytes, rounds, withForward, sample) : measure(bytes, rounds, withForward, sample);
for (const line of lines) console.log(JSON.stringify({ engine: chromium ? 'chromium' : 'node', ...line }));
