import visuallyHidden from '@mui/utils/visuallyHidden';
import type { ReactNode } from 'react';

/** A number: tabular figures, without kerning, never wrapped. */
export function Num({ children, strong = false }: { readonly children: ReactNode; readonly strong?: boolean }) {
  return <span className={strong ? 'num nowrap strong' : 'num nowrap'}>{children}</span>;
}

/** Placeholder for a missing value. */
export function Dash() {
  return <span className="faint">–</span>;
}

/** Keys, JSON, formulas, upstream names. */
export function Mono({ children }: { readonly children: ReactNode }) {
  return <span className="mono anywhere">{children}</span>;
}

/** One line of text, truncated with an ellipsis. */
export function Ellipsis({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <span title={title} className="ellipsis">
      {children}
    </span>
  );
}

/** Two lines of text, truncated with an ellipsis. */
export function TwoLines({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <span title={title} className="two-line-text">
      {children}
    </span>
  );
}

/** A text for screen readers only. */
export function Hidden({ children }: { readonly children: ReactNode }) {
  return <span style={visuallyHidden}>{children}</span>;
}
