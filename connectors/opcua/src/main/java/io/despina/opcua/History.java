package io.despina.opcua;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadResult;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadValueId;

/**
 * What nodes had while nobody watched them, from the server's history: of all of them together, in the order of the times that
 * devices gave. It is read by slices of time, which are as long as the memory for their values allows.
 */
final class History {
    /** Values of a slice; one that has more is cut in two. */
    static final int MOST = 20_000;
    private static final long SHORTEST = 1_000;
    private static final int AT_ONCE = 1_000;
    /** For a slice that is made longer. */
    private static final int FEW = MOST / 4;
    /** A server without history says one of these. */
    private static final Set<Long> NONE = Set.of(StatusCodes.Bad_ServiceUnsupported, StatusCodes.Bad_NotSupported,
            StatusCodes.Bad_NotImplemented, StatusCodes.Bad_HistoryOperationUnsupported, StatusCodes.Bad_UserAccessDenied);

    /** A value that a node had. @param micros when it was measured, since 1970 */
    record Past(Item item, DataValue value, long micros) {
    }

    /**
     * A node whose history is read.
     *
     * @param after when the last value was measured that is known, in microseconds since 1970
     */
    record Known(Item item, long after) {
    }

    /** Values from one time to another: the first is within it, the last is not. Microseconds since 1970. */
    record Slice(long from, long to) {
    }

    /** Asks the server. */
    interface Asked {
        /** @param most values of each node @return answers in the same order; null for none */
        HistoryReadResult[] read(List<HistoryReadValueId> nodes, Slice slice, int most) throws IOException, InterruptedException;

        /** Nothing more of these is wanted. */
        void release(List<HistoryReadValueId> nodes) throws IOException, InterruptedException;

        DataValue[] values(HistoryReadResult answer);
    }

    /** What of a slice is still to come of a node. */
    private record Rest(Known node, ByteString point) {
        HistoryReadValueId question() {
            return new HistoryReadValueId(node.item.node(), null, QualifiedName.NULL_VALUE, point);
        }
    }

    private final Asked asked;
    private final List<Known> nodes;
    private final long end;
    private final Batches batches = new Batches();
    /** Why the server gives none of a node, by node. */
    private final Map<String, String> refused = new LinkedHashMap<>();
    private long from;
    private long length;

    /** @param end to which it is read, in microseconds since 1970 */
    History(Asked asked, Collection<Known> nodes, long end) {
        this.asked = asked;
        this.nodes = List.copyOf(nodes);
        this.end = end;
        from = nodes.stream().mapToLong(Known::after).min().orElse(end);
        length = Math.max(SHORTEST, end - from);
    }

    /** Whether all of it has been read. */
    boolean isDone() {
        return from >= end;
    }

    /** Nodes of which the server gives none, each with why. */
    List<String> refused() {
        return List.copyOf(refused.values());
    }

    /** What comes next; perhaps nothing. Blocks. */
    List<Past> next() throws IOException, InterruptedException {
        while (!isDone()) {
            Slice slice = new Slice(from, Math.min(end, from + length));
            List<Past> found = new ArrayList<>();
            if (!read(slice, found)) {
                length = Math.max(SHORTEST, (slice.to - slice.from) / 2);
                continue;
            }
            from = slice.to;
            length = found.size() < FEW ? 2 * length : length;
            found.sort(Comparator.comparingLong(Past::micros));
            return found;
        }
        return List.of();
    }

    /** @return false if there is too much of it */
    private boolean read(Slice slice, List<Past> found) throws IOException, InterruptedException {
        List<Rest> all = nodes.stream().filter(each -> each.after < slice.to && !refused.containsKey(each.item.name()))
                .map(each -> new Rest(each, ByteString.NULL_VALUE)).toList();
        for (int k = 0; k < all.size(); k += AT_ONCE) {
            List<Rest> rest = all.subList(k, Math.min(k + AT_ONCE, all.size()));
            while (!rest.isEmpty()) {
                rest = read(rest, slice, found);
                if (found.size() > MOST && slice.to - slice.from > SHORTEST) {
                    release(rest);
                    return false;
                }
            }
        }
        return true;
    }

    /** @return what is still to come */
    private List<Rest> read(List<Rest> some, Slice slice, List<Past> found) throws IOException, InterruptedException {
        List<HistoryReadResult> answers;
        try {
            answers = batches.ask(some, part -> asked.read(part.stream().map(Rest::question).toList(), slice,
                    MOST / some.size()));
        } catch (FaultException fault) {
            if (!NONE.contains(fault.code())) {
                throw fault;
            }
            nodes.forEach(each -> refuse(each.item, fault.getMessage()));
            return List.of();
        }
        List<Rest> rest = new ArrayList<>();
        List<Rest> waiting = new ArrayList<>();
        for (int k = 0; k < some.size(); k++) {
            Known node = some.get(k).node;
            HistoryReadResult answer = answers.get(k);
            StatusCode status = answer.getStatusCode();
            if (status.getValue() == StatusCodes.Bad_NoContinuationPoints) {
                waiting.add(some.get(k));       // others have them all, and give them back when they are read
            } else if (status.isBad() && status.getValue() != StatusCodes.Bad_NoData) {
                refuse(node.item, Words.name(status));
            } else {
                take(node, slice, asked.values(answer), found);
                ByteString point = answer.getContinuationPoint();
                if (point != null && !point.isNullOrEmpty()) {
                    rest.add(new Rest(node, point));
                }
            }
        }
        if (waiting.size() == some.size()) {
            waiting.forEach(each -> refuse(each.node.item, Words.name(new StatusCode(StatusCodes.Bad_NoContinuationPoints))));
            return List.of();
        }
        rest.addAll(waiting);
        return rest;
    }

    private void refuse(Item item, String why) {
        refused.put(item.name(), item.text() + " (" + why + ")");
    }

    /** Servers may give what was just before and behind it, too. */
    private static void take(Known node, Slice slice, DataValue[] values, List<Past> found) {
        for (DataValue each : values) {
            long micros = Reading.micros(each.getSourceTime());
            if (micros > node.after && micros >= slice.from && micros < slice.to) {
                found.add(new Past(node.item, each, micros));
            }
        }
    }

    private void release(List<Rest> rest) throws IOException, InterruptedException {
        List<HistoryReadValueId> held = rest.stream().filter(each -> !each.point.isNullOrEmpty()).map(Rest::question).toList();
        if (!held.isEmpty()) {
            asked.release(held);
        }
    }
}
