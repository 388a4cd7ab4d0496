/** Opens the payment page: by submitting a form with its fields, if it has any. */
export function openCheckout(url: string, fields: readonly { readonly name: string; readonly value: string }[]): void {
  if (fields.length === 0) {
    location.assign(url);
    return;
  }
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = url;
  for (const { name, value } of fields) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
