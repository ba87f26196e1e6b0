/** A button of the top line, and what it opens under itself: Escape, a press elsewhere, or the button again closes it. */

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface DropProps {
  /** Of the panel, for the button. */
  id: string;
  label: string;
  look: string;
  /** Fills a panel whose content is not drawn here. */
  onOpen?: (panel: HTMLElement) => void;
  /** What is in the panel, drawn only while it is open. */
  panel?: () => ComponentChildren;
  children: ComponentChildren;
}

export function Drop({ id, label, look, onOpen, panel: content, children, ...rest }: DropProps & ButtonHTMLAttributes<HTMLButtonElement>) {
  const [isOpen, setOpen] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const { current } = panel;
    if (!isOpen || !current) return;
    onOpen?.(current);
    current.focus();
    const close = (): void => {
      setOpen(false);
      button.current?.focus();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") close();
    };
    const onPress = (event: Event): void => {
      const target = event.target as Node;
      if (!current.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("pointerdown", onPress);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("pointerdown", onPress);
    };
  }, [isOpen]);
  return (
    <div class="live-drop">
      <button type="button" {...rest} class={look} ref={button} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {children}
      </button>
      <div class="live-drop-panel" id={id} role="region" aria-label={label} tabIndex={-1} ref={panel} hidden={!isOpen}>
        {isOpen && content?.()}
      </div>
    </div>
  );
}
