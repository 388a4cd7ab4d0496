/** Styles, fonts and pictures say nothing in a component test. */
module.exports = 'asset';
