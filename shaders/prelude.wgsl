// In front of every shader. A shader pays only for what its entry points use.

// Lanes of a workgroup that reduces.
const LANES = 64u;
// Invocations of a workgroup that goes value by value.
const WIDE = 256u;
// Values that share a block of `moments` and of `mse_grid`.
const BLOCK = 4096u;
// Stands for minus infinity, which WGSL does not promise to keep.
const LOWEST = -3.0e38;

// Number of a workgroup in a grid that was folded into y because x ended at 65,535.
fn folded(group: vec3u, groups: vec3u) -> u32 {
    return group.y * groups.x + group.x;
}

// e^x to 2 ulp for x < 88; 0 below −86. WGSL allows its own exp an error that grows with |x|.
// x = n·ln 2 + r, ln 2 in two parts; e^r by Cephes' polynomial; 2ⁿ by adding to the exponent.
fn exponential(x: f32) -> f32 {
    let bounded = max(x, -86.0);
    let n = round(bounded * 1.44269504);
    let r = (bounded - n * 0.693359375) + n * 2.12194440e-4;
    var poly = 1.9875691e-4 * r + 1.3981999e-3;
    poly = poly * r + 8.333452e-3;
    poly = poly * r + 4.1665796e-2;
    poly = poly * r + 1.6666665e-1;
    poly = poly * r + 0.5;
    let y = (poly * (r * r) + r) + 1.0;
    let scaled = bitcast<f32>(bitcast<i32>(y) + (i32(n) << 23u));
    return select(scaled, 0.0, x < -86.0);
}

fn exponential4(x: vec4f) -> vec4f {
    return vec4f(exponential(x.x), exponential(x.y), exponential(x.z), exponential(x.w));
}

// ln x for x ≥ 1: the device's own, and one step of Newton's for its error.
fn logarithm(x: f32) -> f32 {
    let y = log(x);
    return y + (x * exponential(-y) - 1.0);
}

// Code of an already clipped value: round_half_even(clipped·levels/α), through an integer so that no −0 comes of it (a
// compiler may take the way to an integer and back for a truncation, so 0 is said).
// Where a device divides less exactly than IEEE, a value next to a half may get the other code.
fn code(clipped: f32, alpha: f32, levels: f32) -> f32 {
    let whole = i32(round((clipped * levels) / alpha));
    return select(f32(whole), 0.0, whole == 0);
}
