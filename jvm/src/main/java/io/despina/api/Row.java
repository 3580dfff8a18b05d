package io.despina.api;

import java.math.BigDecimal;

/**
 * A packet, for reading. A view: after the call that provided it, it shows another row.
 *
 * <p>A method reads columns of the types in its description, and throws an {@link IllegalArgumentException} for other types. The
 * value of a NULL is undefined: check a nullable column with {@link #isNull} first. Columns of type ARRAY, MAP and STRUCT can be
 * copied ({@link RowWriter#copy}), not read.
 */
public interface Row {

    Columns columns();

    boolean isNull(int column);

    /** Of a BOOLEAN. */
    boolean getBoolean(int column);

    /** Of a TINYINT. */
    byte getByte(int column);

    /** Of a SMALLINT. */
    short getShort(int column);

    /** Of an INT; of a DATE its days since 1970-01-01; of an INTERVAL of years or months its months. */
    int getInt(int column);

    /**
     * Of a BIGINT; of a TIMESTAMP its microseconds since 1970-01-01T00:00Z, of a TIMESTAMP_NTZ since 1970-01-01T00:00; of another
     * INTERVAL its microseconds.
     */
    long getLong(int column);

    /** Of a FLOAT. */
    float getFloat(int column);

    /** Of a DOUBLE. */
    double getDouble(int column);

    /** Of a DECIMAL: a new object with the scale of the column. */
    BigDecimal getDecimal(int column);

    /** Of a STRING: a new object. */
    String getString(int column);

    /** Of a BINARY, or the UTF-8 of a STRING: a new array. */
    byte[] getBytes(int column);
}
