package io.despina.api;

import java.math.BigDecimal;

/**
 * Writes rows one after the other: {@link #begin}, the columns, {@link #commit}. It is an error to begin a row and not commit it.
 *
 * <p>A nullable column that is not set is NULL; a NOT NULL column must be set. Columns of fixed width may be set in any order.
 * STRING, BINARY, ARRAY, MAP, STRUCT and a DECIMAL of more than 18 digits must be set in the order of the columns, each once.
 *
 * <p>A method sets columns of the types that {@link Row} reads with the matching method. Anything else throws an {@link
 * IllegalArgumentException} that names the column.
 */
public interface RowWriter {

    Columns columns();

    /** Begins a row. Drops a row that was begun and not committed. */
    RowWriter begin();

    /** Ends the row and sends it on. */
    void commit();

    RowWriter setNull(int column);

    RowWriter setBoolean(int column, boolean value);

    RowWriter setByte(int column, byte value);

    RowWriter setShort(int column, short value);

    RowWriter setInt(int column, int value);

    RowWriter setLong(int column, long value);

    RowWriter setFloat(int column, float value);

    RowWriter setDouble(int column, double value);

    /** Of a DECIMAL. The value must fit the column's precision and scale exactly. */
    RowWriter setDecimal(int column, BigDecimal value);

    RowWriter setString(int column, String value);

    /** Of a BINARY, or the UTF-8 of a STRING, which is not checked. */
    RowWriter setBytes(int column, byte[] value, int from, int length);

    /** Sets a column to a column of {@code row} that has the same type, without making an object of the value. */
    RowWriter copy(int column, Row row, int origin);

    /** Sets the first columns of this row to all columns of {@code row}, in their order. */
    default RowWriter copyAll(Row row) {
        for (int k = 0; k < row.columns().size(); k++) {
            copy(k, row, k);
        }
        return this;
    }
}
