package io.despina.expr;

/**
 * An array that is a text cut at each delimiter, empty parts included: {@code split(text, ',')}. NULL if the text is. Malformed
 * UTF-8 in a part is replaced as {@link String} does.
 *
 * @param text      gives the text, as its one column, a nullable STRING
 * @param delimiter an ASCII character
 */
public record PlainSplit(Projection text, byte delimiter) {
}
