package io.despina.expr;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;

/**
 * A projection to one array that is a text cut at each delimiter, empty parts included: {@code split(text, ',')}. It is NULL if
 * the text is. Malformed UTF-8 in a part is replaced as {@link String} does. Who wants the parts only can cut the text himself.
 */
public interface PlainSplit extends Projection {
    /** Of {@link #text}. */
    Schema TEXT = Schema.of(new Column("text", Type.Simple.STRING, true));

    /** Gives the text. */
    Projection text();

    /** An ASCII character. */
    byte delimiter();
}
