/** `matchMedia` of jsdom matches nothing; a phone matches the narrow query. Undone by `jest.restoreAllMocks()`. */
export function onPhone(): void {
  const { matchMedia } = window;
  jest
    .spyOn(window, 'matchMedia')
    .mockImplementation((query) => ({ ...matchMedia(query), matches: query.includes('max-width:599.95px') }));
}
