/** A button in the header that opens a panel. Escape, a press elsewhere, or the button closes it. */

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface DropdownProps {
  /** The id of the panel. */
  id: string;
  label: string;
  buttonClass: string;
  /** Fills a panel whose content is not rendered here. */
  onOpen?: (panel: HTMLElement) => void;
  /** The content of the panel, rendered only while it is open. */
  panel?: () => ComponentChildren;
  children: ComponentChildren;
}

export function Dropdown({
  id,
  label,
  buttonClass,
  onOpen,
  panel: content,
  children,
  ...rest
}: DropdownProps & ButtonHTMLAttributes<HTMLButtonElement>) {
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
      <button
        type="button"
        {...rest}
        class={buttonClass}
        ref={button}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      <div class="live-drop-panel" id={id} role="region" aria-label={label} tabIndex={-1} ref={panel} hidden={!isOpen}>
        {isOpen && content?.()}
      </div>
    </div>
  );
}
