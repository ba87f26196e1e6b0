/** Icons of the controls; each button also has its name in words. */

const PATHS = {
  play: "M5 3v14l12-7z",
  pause: "M5 3h4v14H5zM11 3h4v14h-4z",
  first: "M4 3h2v14H4zM17 3v14L7 10z",
  last: "M14 3h2v14h-2zM3 3l10 7L3 17z",
  back: "M13 4v12L5 10z",
  forward: "M7 4l8 6-8 6z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} fill="currentColor" />
    </svg>
  );
}
