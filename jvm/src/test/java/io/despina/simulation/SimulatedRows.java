package io.despina.simulation;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowSink;
import io.despina.api.RowSource;
import io.despina.api.RowWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a simulated job reads and writes, outside of every process: numbers that can be read again from any place, and a target
 * with transactions. A graph's operators find it by its name, their option {@code rows}.
 */
public final class SimulatedRows {
    private static final int PAUSE_MILLIS = 3;
    private static final int LONG_PAUSE_MILLIS = 15;
    /** After which the same record is left out. */
    private static final int TIMES = 3;
    private static final Map<String, SimulatedRows> ALL = new ConcurrentHashMap<>();

    private final String name;
    private final long count;
    /** Whether the job keeps a state: then its attempts go on where others were. */
    private final boolean keeps;
    /** Milliseconds between its rows if it does. */
    private int pauseMillis = PAUSE_MILLIS;
    /** By epoch: how many rows were visible once it was committed. */
    private final Map<Long, Integer> shown = new TreeMap<>();
    /** By name: transactions that are durable and not visible. */
    private final Map<String, List<Long>> open = new TreeMap<>();
    private final Set<String> committed = new HashSet<>();
    private List<Long> visible = List.of();
    private int transactions;
    private String fault;
    /** The row at which the sink dies; -1 if none is. */
    private long poison = -1;
    private int deaths;

    /** @param count of the rows at the source, from 0 on */
    SimulatedRows(String name, long count, boolean keeps) {
        this.name = name;
        this.count = count;
        this.keeps = keeps;
        ALL.put(name, this);
    }

    /** The same rows, for another job and its target, which has the first of them already. */
    SimulatedRows successor(String as, int first) {
        SimulatedRows next = new SimulatedRows(as, count, keeps);
        next.visible = List.copyOf(visible.subList(0, first));
        next.committed.addAll(committed);     // an epoch may be committed again, and does nothing
        next.transactions = transactions;
        return next;
    }

    private static SimulatedRows of(Context context) {
        SimulatedRows rows = ALL.get(context.option("rows"));
        if (rows == null) {
            throw new IllegalArgumentException("there are no rows of the name " + context.option("rows"));
        }
        return rows;
    }

    /** A source and a sink, as operators of a graph file. */
    String operators() {
        return """
                "source": {"type": "java_source", "class": "%s", "schema": "id BIGINT", "options": {"rows": "%s"}},
                "sink": {"type": "java_sink", "class": "%s", "options": {"rows": "%s"}, "on_error": {"type": "skip"}}
                """.formatted(NumberFeed.class.getName(), name, Ledger.class.getName(), name);
    }

    /** What readers of the target see. */
    List<Long> visible() {
        return visible;
    }

    /** Transactions that are neither committed nor given up. */
    int open() {
        return open.size();
    }

    boolean keeps() {
        return keeps;
    }

    /** The sink does not come back from that row. It is the graph that says what becomes of such rows. */
    void poison(long row) {
        poison = row;
    }

    long poison() {
        return poison;
    }

    /** Whether the sink met it so often that it was left out. */
    boolean wasPoisoned() {
        return deaths >= TIMES;
    }

    /** From now on rows come so slowly that old epochs are collected before they end. */
    void slow() {
        pauseMillis = LONG_PAUSE_MILLIS;
    }

    /** How many rows were visible when that epoch was committed; null if it was not. */
    Integer shownAt(long epoch) {
        return shown.get(epoch);
    }

    /** What a sink has done that no sink may do, or null. */
    String fault() {
        return fault;
    }

    private String begin(List<Long> rows) {
        String transaction = "transaction-" + ++transactions;
        open.put(transaction, rows);
        return transaction;
    }

    /** Once; whoever does it again changes nothing. */
    private void commit(String transaction, boolean after) {
        if (!committed.add(transaction)) {
            return;
        }
        List<Long> rows = open.remove(transaction);
        if (rows == null) {
            fault = transaction + " is committed, which its successor has given up";
            return;
        }
        List<Long> all = new ArrayList<>(after ? visible : List.of());
        all.addAll(rows);
        if (keeps && !rows.isEmpty() && rows.get(0) - (poison >= 0 && rows.get(0) > poison ? 1 : 0) != visible.size()) {
            fault = "row " + rows.get(0) + " becomes visible behind " + visible.size() + " rows";
        }
        visible = all;
    }

    private void giveUpOthers(Collection<String> known) {
        open.keySet().retainAll(known);
    }

    void remove() {
        ALL.remove(name);
    }

    /** The source. */
    public static final class NumberFeed implements RowSource {
        private static final int AT_ONCE = 40;

        private SimulatedRows rows;
        private long next;

        @Override
        public void open(Context context) {
            rows = of(context);
        }

        @Override
        public long produce(RowWriter out) {
            for (int k = 0; k < AT_ONCE && next < rows.count; k++) {
                out.begin().setLong(0, next++).commit();
            }
            return next == rows.count ? ENDED : rows.keeps ? rows.pauseMillis : 0;
        }

        @Override
        public Map<String, String> position() {
            return Map.of("next", Long.toString(next));
        }

        @Override
        public void restore(List<Map<String, String>> positions) {
            positions.forEach(each -> next = Long.parseLong(each.get("next")));
        }
    }

    /** The sink: a transaction for each epoch. One that was started anew replaces what another has written. */
    public static final class Ledger implements RowSink {
        private SimulatedRows rows;
        private List<Long> written = new ArrayList<>();
        /** By epoch: the names of transactions that are not known to be committed. */
        private final TreeMap<Long, String> prepared = new TreeMap<>();
        private boolean goesOn;

        @Override
        public void open(Context context) {
            rows = of(context);
            goesOn = rows.keeps;
        }

        @Override
        public void write(Row row) {
            if (row.getLong(0) == rows.poison) {
                rows.deaths++;
                throw new StackOverflowError("of a simulated sink");
            }
            written.add(row.getLong(0));
        }

        @Override
        public void prepare(long epoch) {
            prepared.put(epoch, rows.begin(written));
            written = new ArrayList<>();
        }

        @Override
        public void commit(long epoch) {
            String transaction = prepared.remove(epoch);
            if (transaction != null) {
                rows.commit(transaction, goesOn);
                goesOn = true;
            }
            rows.shown.putIfAbsent(epoch, rows.visible.size());
        }

        @Override
        public void abort() {
            rows.open.keySet().removeAll(prepared.values());
        }

        @Override
        public Map<String, String> position() {
            Map<String, String> texts = new TreeMap<>();
            prepared.forEach((epoch, transaction) -> texts.put(Long.toString(epoch), transaction));
            return texts;
        }

        @Override
        public void restore(List<Map<String, String>> positions) {
            positions.forEach(each -> each.forEach((epoch, transaction) -> prepared.put(Long.parseLong(epoch), transaction)));
            rows.giveUpOthers(prepared.values());
        }
    }
}
