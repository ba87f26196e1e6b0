/** The block that the middle of the view points at, and the cell where a block may be built. Pure. */

import { gaze, type Box, type Cell } from "../../../world/frame";
import { pick, type Hit } from "../../../world/pick";
import { eyeOf, isIn, type IsSolid, type Walker } from "./motion";

/** The longest distance in blocks from the eye to the face of a block that can be reached. */
export const REACH = 6;

/** The first block ahead within reach; null if there is none. `isBlock` is called for cells of the world only. */
export function aimed(walker: Walker, size: Cell, isBlock: IsSolid): Hit | null {
  const eye = eyeOf(walker);
  const direction = gaze(walker);
  const near = around(eye, size);
  const hit = near && pick(isBlock, near, eye, direction);
  return hit && distanceTo(hit, eye, direction) <= REACH ? hit : null;
}

/** The cell for a block beside the target; null outside of the world and where a person is in the way. */
export function placeBeside(
  { cell, face }: Hit,
  size: Cell,
  isBlock: IsSolid,
  people: readonly Pick<Walker, "at">[],
): Cell | null {
  const at: Cell = [cell[0] + face[0], cell[1] + face[1], cell[2] + face[2]];
  const isInside = at.every((one, axis) => one >= 0 && one < (size[axis] as number));
  if (!isInside || isBlock(...at) || people.some((one) => isIn(one, at))) return null;
  return at;
}

/** The cells of the world within reach; null if there are none. */
function around(eye: Cell, size: Cell): Box | null {
  const low = eye.map((one) => Math.max(Math.floor(one - REACH), 0)) as unknown as Cell;
  const high = eye.map((one, axis) => Math.min(Math.floor(one + REACH), (size[axis] as number) - 1)) as unknown as Cell;
  return low.every((one, axis) => one <= (high[axis] as number)) ? { low, high } : null;
}

/** The distance along a direction of length one; 0 if the eye is inside the block. */
function distanceTo({ cell, face }: Hit, eye: Cell, direction: Cell): number {
  const axis = face.findIndex((one) => one !== 0) as 0 | 1 | 2;
  const side = cell[axis] + (face[axis] > 0 ? 1 : 0);
  return Math.max((side - eye[axis]) / direction[axis], 0);
}
