package io.despina.operator.record.csv;

import io.despina.operator.MissingColumnException;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Compares the names in a CSV header with the schema's, without case, as Spark does. */
public final class CsvHeader {
    private CsvHeader() {
    }

    /**
     * Why a header does not fit the schema; null if it fits.
     *
     * @param cells   null where Spark's parser finds no record
     * @param columns how many columns the header must have; those beyond the schema may have any name
     * @param orMore  it may have more than that
     */
    public static String mismatch(String[] cells, Schema schema, int columns, boolean orMore) {
        if (cells == null) {
            return null;
        }
        int both = Math.min(cells.length, schema.size());
        for (int k = 0; k < both; k++) {
            String name = schema.column(k).name();
            if (cells[k] == null || !lower(cells[k]).equals(lower(name))) {
                return "its column " + (k + 1) + " is `" + cells[k] + "`, the schema's is `" + name + "`";
            }
        }
        if (cells.length < columns || cells.length > columns && !orMore) {
            return "it has " + cells.length + (cells.length == 1 ? " column" : " columns") + " instead of " + columns;
        }
        return null;
    }

    /**
     * The cell of each column in the header, found by name.
     *
     * @param where the header is, for messages
     * @throws IOException if a column has no cell, or two
     */
    public static int[] places(String where, List<String> names, Schema schema) throws IOException {
        List<String> compared = names.stream().map(CsvHeader::lower).toList();
        int[] places = new int[schema.size()];
        for (int k = 0; k < places.length; k++) {
            String name = schema.column(k).name();
            places[k] = compared.indexOf(lower(name));
            if (places[k] < 0) {
                throw new MissingColumnException(where + ": the CSV header has no column `" + name + "`", name, names);
            }
            if (compared.lastIndexOf(lower(name)) != places[k]) {
                throw new IOException(where + ": the CSV header has the column `" + name + "` twice");
            }
        }
        return places;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
