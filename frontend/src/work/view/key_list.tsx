/** The keys of a page with what each does. */
export type KeysHelp = readonly (readonly [keys: string, does: string])[];

export function KeyList({ help, look = "keys" }: { help: KeysHelp; look?: string }) {
  return (
    <dl class={look}>
      {help.map(([keys, does]) => (
        <div key={keys}>
          <dt>{keys}</dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
