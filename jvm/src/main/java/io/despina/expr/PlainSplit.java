package io.despina.expr;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;

/**
 * A projection to one array that is a text cut at each delimiter, including empty parts: {@code split(text, ',')}. It is NULL if
 * the text is. Malformed UTF-8 in a part is replaced as in {@link String}. A caller that needs only the parts can cut the text
 * itself.
 */
public interface PlainSplit extends Projection {
    /** The schema of {@link #text}. */
    Schema TEXT = Schema.of(new Column("text", Type.Simple.STRING, true));

    /** The projection to the text. */
    Projection text();

    /** An ASCII character. */
    byte delimiter();
}
