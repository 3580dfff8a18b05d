package io.despina.operator.database;

import io.despina.operator.OperatorContext;
import io.despina.operator.lookup.FoundRows;
import io.despina.operator.lookup.Table;
import io.despina.operator.lookup.TableCache;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of a database, which is asked for each key, unless a cache knows the answer. */
public final class DatabaseTable implements Table {
    private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_]*";

    /**
     * What is asked.
     *
     * @param table  as it stands behind FROM
     * @param schema of its rows: these columns are read
     * @param keys   names of the columns of the key
     * @param most   rows kept; 0 without a cache
     * @param nanos  how long they are
     */
    public record Options(DatabaseOptions database, String table, Schema schema, List<String> keys, long most, long nanos) {

        /** What is executed for each key. */
        String sql(Connection connection) throws SQLException {
            String quote = connection.getMetaData().getIdentifierQuoteString().trim();
            return "SELECT " + schema.names().stream().map(name -> quoted(name, quote)).collect(Collectors.joining(", "))
                    + " FROM " + table + " WHERE "
                    + keys.stream().map(name -> quoted(name, quote) + " = ?").collect(Collectors.joining(" AND "));
        }

        /** Names that need no quotes have none, since with them a database may tell capitals apart. */
        private static String quoted(String name, String quote) {
            return name.matches(PLAIN) || quote.isEmpty() ? name : quote + name.replace(quote, quote + quote) + quote;
        }
    }

    private final Options options;
    private final TableCache cache;
    private final int[] columns;
    private OperatorContext context;
    private Database database;
    private ResultRows results;
    private Connection prepared;
    private PreparedStatement statement;
    private FoundRows last = FoundRows.NONE;

    public DatabaseTable(Options options) {
        this.options = options;
        cache = options.most() == 0 ? null : new TableCache(new TableCache.Bounds(options.most(), options.nanos()));
        columns = IntStream.range(0, options.keys().size()).toArray();
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        database = new Database(options.database(), opened);
        results = new ResultRows(options.schema(), options.database().zone(), opened);
        database.call(this::statement);     // a table that is not there is an error at once
    }

    /** Whether a column of that type can come out of a database, or be asked for. */
    public static boolean has(Type type) {
        return JdbcValues.has(type);
    }

    /** Why rows of that schema cannot come out of a database; null if they can. */
    public static String problem(Schema rows) {
        return rows.columns().stream().filter(column -> !has(column.type())).findFirst().map(column -> "column `" + column.name()
                + "` is " + column.type().sql() + ", and a database gives simple types only").orElse(null);
    }

    private PreparedStatement statement(Connection connection) throws SQLException {
        if (connection != prepared) {
            statement = connection.prepareStatement(options.sql(connection));
            prepared = connection;
        }
        return statement;
    }

    @Override
    public void refresh() {
        // each answer has an age of its own
    }

    @Override
    public FoundRows find(Packet key) throws SQLException, InterruptedException {
        long now = context.clock().getAsLong();
        FoundRows known = cache == null ? null : cache.get(key, now);
        if (known != null) {
            return known;
        }
        last = database.call(connection -> results.ask(statement(connection), key, columns));
        if (cache != null) {
            cache.put(key, last, now);
        }
        return last;
    }

    @Override
    public String forget() {
        if (cache == null) {
            return "";
        }
        String words = cache.rows() + " rows are forgotten";
        cache.clear();
        return words;
    }

    @Override
    public long bytes() {
        return cache == null ? last.held() : cache.bytes();
    }

    @Override
    public void close() {
        if (database != null) {
            database.close();
        }
    }
}
