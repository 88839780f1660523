/** ensemble.html: the members of an ensemble on one page. */
export const ensembleHtml = (_: unknown) => "";
