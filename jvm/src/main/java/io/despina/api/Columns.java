package io.despina.api;

/** The columns of rows. They are numbered from 0; names compare case-insensitively, as in Spark. */
public interface Columns {

    int size();

    /** The name of a column, as the graph writes it. */
    String name(int column);

    /**
     * The number of a column. Look it up once, in {@link RowOperator#open}, not for each row.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    int index(String name);

    /** The type of a column as Spark SQL writes it, for example {@code DECIMAL(10,2)}. */
    String type(int column);

    boolean isNullable(int column);
}
