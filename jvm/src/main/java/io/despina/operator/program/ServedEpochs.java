package io.despina.operator.program;

import io.despina.log.KeptPlaces;
import io.despina.log.Log;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.operator.OperatorContext;
import io.despina.spool.KeptSpool;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Which rows of a kept spool are in which epoch: readers see them when it is complete. What they have taken stays as long as the
 * job may go on from an epoch before, so that the numbers of rows never move. Of the sink's thread.
 */
final class ServedEpochs {
    private static final String SCHEMA = "schema";
    private static final String FIRST = "first";
    private static final String NEXT = "next";
    private static final String LAST = "last";
    /** Of the folder in which it is known what a program has taken that has no place of its own. */
    static final String CUTS = "taken";
    private static final LogRange NOTHING = new LogRange(0, 0);

    private final KeptSpool spool;
    private final OperatorContext context;
    private final NamedEntries state = new NamedEntries("served", this::standing).orMissing();
    /** By prepared epoch, the number behind its last row. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();
    /** The first row that readers still wanted. */
    private final KeptPlaces wanted = new KeptPlaces();
    private long first;
    private long next;
    private boolean finishing;
    /** After which no row follows; 0 if it is not known. */
    private long last;

    /** Opens the spool of a job that begins anew. Blocks for the disk. */
    ServedEpochs(KeptSpool spool, OperatorContext context) throws IOException {
        this.spool = spool;
        this.context = context;
        context.stateBytes(Log.MEMORY_BYTES);
        if (!context.isRestored()) {
            open(NOTHING);
        }
    }

    private void open(LogRange range) throws IOException {
        if (spool.keepsCuts()) {
            spool.openCuts(place(context.keptFolder().resolve(CUTS)), range.equals(NOTHING));
        }
        spool.open(place(context.keptFolder()), range);
    }

    private LogPlace place(Path folder) throws IOException {
        return LogPlace.of(folder, context.attempt(), "the rows of `" + context.operatorId() + "`");
    }

    State state() {
        return state;
    }

    private Map<String, String> standing() {
        Map<String, String> place = new LinkedHashMap<>();
        place.put(SCHEMA, schema());
        place.put(FIRST, Long.toString(first));
        place.put(NEXT, Long.toString(next));
        if (last > 0) {
            place.put(LAST, Long.toString(last));
        }
        return place;
    }

    private String schema() {
        return context.input(0).toString();
    }

    /** Blocks for the disk. */
    void restored() throws IOException {
        List<Map<String, String>> all = state.restored();
        if (all.isEmpty()) {        // the epoch is of a job whose rows nobody kept
            open(NOTHING);
            return;
        }
        if (all.size() != context.parallelism()) {
            throw new SnapshotException("rows of `" + context.operatorId() + "` are numbered in " + all.size()
                    + " instances; their readers' places mean nothing at parallelism " + context.parallelism());
        }
        Map<String, String> own = all.get(context.instance());
        if (!own.getOrDefault(SCHEMA, schema()).equals(schema())) {
            throw new SnapshotException("rows of `" + context.operatorId() + "` wait for their reader, with the columns "
                    + own.get(SCHEMA) + "; now they are " + schema());
        }
        first = Long.parseLong(own.getOrDefault(FIRST, "0"));
        next = Long.parseLong(own.getOrDefault(NEXT, "0"));
        last = Long.parseLong(own.getOrDefault(LAST, "0"));
        open(new LogRange(first, next));
    }

    /** No row follows. */
    void finish() {
        finishing = true;
    }

    /** @return completes when the rows of the epoch are durable */
    CompletableFuture<Void> prepare(long epoch) {
        first = spool.first();
        next = spool.next();
        if (finishing && last == 0) {
            last = epoch;
        }
        ends.put(epoch, next);
        wanted.barrier(epoch, first);
        return spool.force();
    }

    /** Readers see the rows, and behind the last of all that none follows. */
    void commit(long epoch) {
        Map.Entry<Long, Long> end = ends.floorEntry(epoch);
        if (end != null) {
            spool.show(end.getValue());
            ends.headMap(epoch, true).clear();
            spool.giveBack(wanted.complete(epoch));
        }
        if (last > 0 && epoch >= last) {
            spool.end();
        }
    }

    void close() {
        spool.close();
    }
}
