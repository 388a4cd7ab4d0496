import { lazyPart } from '../../components/lazyPart.js';
import { useConfirmationAsked, useEnrolmentRequired } from '../../lib/confirmation.js';

const ConfirmSessionDialog = lazyPart(
  async () => (await import('./ConfirmSessionDialog.js')).ConfirmSessionDialog,
  ({ asked }: { readonly asked: boolean }) => asked,
);
const EnrolmentDialog = lazyPart(async () => (await import('./EnrolmentDialog.js')).EnrolmentDialog);

/** Dialogs that a response of the server opens, above any screen. */
export function SecondFactorDialogs() {
  const asked = useConfirmationAsked();
  const required = useEnrolmentRequired();
  return (
    <>
      <ConfirmSessionDialog asked={asked} />
      {required && <EnrolmentDialog />}
    </>
  );
}
