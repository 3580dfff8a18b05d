package io.despina.operator.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** The columns that a table or a query has, from 1. */
public final class FoundColumns {
    private final ResultSetMetaData data;
    private final String quote;
    private final List<String> names = new ArrayList<>();

    public FoundColumns(ResultSet of, Connection connection) throws SQLException {
        data = of.getMetaData();
        quote = connection.getMetaData().getIdentifierQuoteString().trim();
        for (int k = 1; k <= data.getColumnCount(); k++) {
            names.add(data.getColumnLabel(k));
        }
    }

    public List<String> names() {
        return names;
    }

    public ResultSetMetaData data() {
        return data;
    }

    /** Where the column of that name is, in upper or lower case if none has it as it is written; 0 if there is none. */
    public int find(String name) {
        int at = names.indexOf(name);
        for (int k = 0; at < 0 && k < names.size(); k++) {
            at = names.get(k).equalsIgnoreCase(name) ? k : -1;
        }
        return at + 1;
    }

    public String name(int at) {
        return names.get(at - 1);
    }

    /** The name as it stands in a statement. */
    public String quoted(int at) {
        return quote.isEmpty() ? name(at) : quote + name(at).replace(quote, quote + quote) + quote;
    }

    /** Of {@link Types}. */
    public int type(int at) throws SQLException {
        return data.getColumnType(at);
    }

    /** As the database calls it. */
    public String typeName(int at) throws SQLException {
        return data.getColumnTypeName(at);
    }

    /** The type for people. */
    public String shown(int at) throws SQLException {
        boolean exact = type(at) == Types.NUMERIC || type(at) == Types.DECIMAL;
        return typeName(at) + (exact && data.getPrecision(at) > 0 ? "(" + data.getPrecision(at) + ", " + data.getScale(at) + ")"
                : "");
    }
}
