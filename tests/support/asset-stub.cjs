/** Styles, fonts and images have no effect in a component test. */
module.exports = 'asset';
