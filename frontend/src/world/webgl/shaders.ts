/** The four programs of the graphics card: blocks, faces of painted voxels, figures, lines. */

const HEAD = `#version 300 es
precision highp float;
precision highp int;
`;

/** Light from above, a little more on the sides along z than along x, so that each corner of a block shows. */
const LIGHT = `
float light(vec3 n) {
  vec3 n2 = n * n;
  return n2.y * (n.y > 0.0 ? 1.0 : 0.56) + n2.x * (n.x > 0.0 ? 0.76 : 0.70) + n2.z * (n.z > 0.0 ? 0.88 : 0.83);
}
`;

const PLANE = `
vec3 outOf(int face) {
  float sign = (face & 1) == 0 ? 1.0 : -1.0;
  int axis = face >> 1;
  return sign * vec3(axis == 0, axis == 1, axis == 2);
}
// Converts two numbers in the plane of a face to a step in the scene, and back.
vec3 lift(int face, vec2 at) {
  int axis = face >> 1;
  return axis == 0 ? vec3(0.0, at) : axis == 1 ? vec3(at.x, 0.0, at.y) : vec3(at, 0.0);
}
vec2 lay(int face, vec3 at) {
  int axis = face >> 1;
  return axis == 0 ? at.yz : axis == 1 ? at.xz : at.xy;
}
`;

export const BLOCK_VERTEX = `${HEAD}${PLANE}
layout(location = 0) in uvec4 corner;
uniform mat4 view;
uniform float pixel;
uniform vec3 palette[PALETTE];
out vec3 place;
flat out vec3 colour;
flat out int face;
void main() {
  face = int(corner.w & 7u);
  colour = palette[min(int(corner.w >> 5), PALETTE - 1)];
  place = vec3(corner.xyz);
  // Rectangles may meet others in the middle of a side; a quarter of a pixel more closes the pinholes there.
  float more = 0.25 * pixel * max((view * vec4(place, 1.0)).w, 0.0);
  vec2 away = vec2((corner.w & 8u) != 0u, (corner.w & 16u) != 0u) * 2.0 - 1.0;
  gl_Position = view * vec4(place + lift(face, away) * more, 1.0);
}`;

export const BLOCK_FRAGMENT = `${HEAD}${PLANE}${LIGHT}
in vec3 place;
flat in vec3 colour;
flat in int face;
out vec4 seen;
void main() {
  vec3 n = outOf(face);
  vec2 at = lay(face, place);
  vec2 wide = max(fwidth(at), 1e-5);
  // The distance from the nearest side of the block, in blocks.
  vec2 off = 0.5 - abs(fract(at) - 0.5);
  vec2 near = clamp((max(vec2(0.022), 0.55 * wide) - off) / wide + 0.5, 0.0, 1.0);
  vec2 fade = 1.0 - smoothstep(0.09, 0.34, wide);
  float edge = max(near.x * fade.x, near.y * fade.y);
  // Each block is slightly lighter or darker than its neighbour.
  uvec3 cell = uvec3(max(place - 0.5 * n, 0.0)) * uvec3(73856093u, 19349663u, 83492791u);
  float grain = float(((cell.x ^ cell.y ^ cell.z) * 2654435761u) >> 24) / 255.0 - 0.5;
  vec3 base = colour * (1.0 + 0.05 * grain * min(fade.x, fade.y)) * light(n);
  float bright = dot(colour, vec3(0.299, 0.587, 0.114));
  vec3 line = bright > 0.22 ? base * 0.6 : base + 0.2;
  seen = vec4(mix(base, line, edge * 0.8), 1.0);
}`;

export const LAYER_VERTEX = `${HEAD}${PLANE}
layout(location = 0) in uvec4 corner;
uniform mat4 view;
uniform float out_by;
out vec2 at;
out vec2 within;
flat out int face;
flat out int sides;
float reach(int side) {
  int how = (sides >> (2 * side)) & 3;
  return how == 0 ? 0.0 : how == 1 ? out_by : -out_by;
}
void main() {
  face = int(corner.w & 7u);
  sides = int(corner.w >> 5);
  ivec2 end = ivec2(int(corner.w >> 3) & 1, int(corner.w >> 4) & 1);
  vec3 place = vec3(corner.xyz);
  at = lay(face, place);
  within = vec2(end);
  vec2 away = (within * 2.0 - 1.0) * vec2(reach(end.x), reach(2 + end.y));
  gl_Position = view * vec4(place + outOf(face) * out_by + lift(face, away), 1.0);
}`;

export const LAYER_FRAGMENT = `${HEAD}${PLANE}${LIGHT}
in vec2 at;
in vec2 within;
flat in int face;
flat in int sides;
uniform vec3 colour;
uniform vec3 between;
uniform int pattern;
uniform float thin;
uniform float dense;
out vec4 seen;
// The share of a pixel where the distance is below zero; both arguments have the same unit.
float cover(float distance, float wide) { return clamp(0.5 - distance / max(wide, 1e-5), 0.0, 1.0); }
float drawn(vec2 p, float wide) {
  if (pattern == 1) return cover(abs(fract((p.x + p.y) * 2.0) - 0.5) - 0.25, wide * 2.8);
  if (pattern == 2) return cover(length(fract(p * 2.0) - 0.5) - 0.32, wide * 2.0);
  if (pattern == 3) { vec2 g = 0.5 - abs(fract(p * 3.0 + 0.5) - 0.5); return cover(min(g.x, g.y) - 0.12, wide * 3.0); }
  if (pattern == 4) { vec2 c = fract(p) - 0.5; return cover(-sign(c.x * c.y) * min(abs(c.x), abs(c.y)), wide); }
  return 1.0;
}
float inside(int side, float distance, float wide) {
  return ((sides >> (2 * side)) & 3) == 0 ? 9.0 : distance / max(wide, 1e-5);
}
void main() {
  vec2 wide = fwidth(at);
  float blur = max(wide.x, wide.y);
  float share = mix(drawn(at, blur), pattern == 0 ? 1.0 : 0.5, smoothstep(0.2, 0.45, blur));
  vec4 fill = vec4(mix(between, colour, share) * mix(light(outOf(face)), 1.0, 0.5), mix(thin, dense, share));
  // The distance in pixels from the sides where the set ends: a dark and a light line, so that one is visible on any block.
  float end = min(min(inside(0, within.x, wide.x), inside(1, 1.0 - within.x, wide.x)), min(inside(2, within.y, wide.y), inside(3, 1.0 - within.y, wide.y)));
  float line = clamp(0.07 / max(blur, 1e-5), 1.0, 2.5);
  float far = 1.0 - smoothstep(0.15, 0.4, blur);
  float cell = min(min(within.x, 1.0 - within.x) / max(wide.x, 1e-5), min(within.y, 1.0 - within.y) / max(wide.y, 1e-5));
  fill = mix(fill, vec4(colour * 0.35, 0.85), clamp(1.0 - cell, 0.0, 1.0) * 0.6 * far);
  fill = mix(fill, vec4(1.0, 1.0, 1.0, 0.95), clamp(2.0 * line - end + 0.5, 0.0, 1.0) * far);
  fill = mix(fill, vec4(0.06, 0.03, 0.06, 1.0), clamp(line - end + 0.5, 0.0, 1.0) * far);
  seen = fill;
}`;

export const FIGURE_VERTEX = `${HEAD}
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;
uniform mat4 view;
out vec3 n;
out vec3 c;
void main() {
  n = normal;
  c = colour;
  gl_Position = view * vec4(place, 1.0);
}`;

export const FIGURE_FRAGMENT = `${HEAD}${LIGHT}
in vec3 n;
in vec3 c;
out vec4 seen;
void main() { seen = vec4(c * light(normalize(n)), 1.0); }`;

export const LINE_VERTEX = `${HEAD}
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
uniform mat4 view;
uniform vec2 size;
uniform float width;
void main() {
  vec4 a = view * vec4(from, 1.0);
  vec4 b = view * vec4(to, 1.0);
  // The part behind the camera is cut off, otherwise it would appear on the other side.
  const float near = 0.02;
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 flow = (b.xy / b.w - a.xy / a.w) * size;
  flow = dot(flow, flow) < 1e-6 ? vec2(1.0, 0.0) : normalize(flow);
  bool isEnd = (gl_VertexID & 1) != 0;
  vec2 away = (isEnd ? flow : -flow) + ((gl_VertexID & 2) != 0 ? 1.0 : -1.0) * vec2(-flow.y, flow.x);
  vec4 at = isEnd ? b : a;
  at.xy += away * width / size * at.w;
  gl_Position = at;
}`;

export const LINE_FRAGMENT = `${HEAD}
uniform vec4 colour;
out vec4 seen;
void main() { seen = colour; }`;
