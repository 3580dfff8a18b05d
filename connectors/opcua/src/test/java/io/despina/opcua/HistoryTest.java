package io.despina.opcua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.opcua.History.Known;
import io.despina.opcua.History.Past;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadResult;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadValueId;
import org.junit.jupiter.api.Test;

/** A history, read by slices and pages. */
class HistoryTest {
    private static final long MILLI = 1_000;
    private static final long SECOND = 1_000 * MILLI;

    /** Has a value of each node at each multiple of its period, and gives pages, as long as it has continuation points. */
    private static final class Archive implements History.Asked {
        private final Map<NodeId, Long> periods = new HashMap<>();
        private final long end;
        private final int page;
        private final int points;
        private final Set<NodeId> held = new HashSet<>();
        private final Map<HistoryReadResult, DataValue[]> given = new IdentityHashMap<>();
        private int count;

        Archive(long end, int page, int points) {
            this.end = end;
            this.page = page;
            this.points = points;
        }

        Archive having(int node, long period) {
            periods.put(item(node).node(), period);
            return this;
        }

        @Override
        public HistoryReadResult[] read(List<HistoryReadValueId> nodes, History.Slice slice, int most) {
            given.clear();
            return nodes.stream().map(each -> answer(each, slice, Math.min(page, most))).toArray(HistoryReadResult[]::new);
        }

        private HistoryReadResult answer(HistoryReadValueId of, History.Slice slice, int most) {
            NodeId node = of.getNodeId();
            if (!periods.containsKey(node)) {
                return new HistoryReadResult(new StatusCode(StatusCodes.Bad_HistoryOperationUnsupported), null, null);
            }
            long period = periods.get(node);
            boolean goesOn = !of.getContinuationPoint().isNullOrEmpty();
            long at = goesOn ? Long.parseLong(new String(of.getContinuationPoint().bytes(), StandardCharsets.US_ASCII))
                    : Math.floorDiv(slice.from(), period) * period;
            List<DataValue> values = new ArrayList<>();
            for (; at <= Math.min(slice.to(), end) && values.size() < most; at += period) {     // one before, and the end
                values.add(new DataValue(new Variant(at), StatusCode.GOOD, Reading.time(at), null));
            }
            boolean more = at <= Math.min(slice.to(), end);
            if (more && !goesOn && held.size() == points) {
                return new HistoryReadResult(new StatusCode(StatusCodes.Bad_NoContinuationPoints), null, null);
            }
            if (more) {
                held.add(node);
            } else {
                held.remove(node);
            }
            count += values.size();
            HistoryReadResult answer = new HistoryReadResult(StatusCode.GOOD,
                    more ? ByteString.of(Long.toString(at).getBytes(StandardCharsets.US_ASCII)) : null, null);
            given.put(answer, values.toArray(DataValue[]::new));
            return answer;
        }

        @Override
        public void release(List<HistoryReadValueId> nodes) {
            nodes.forEach(each -> held.remove(each.getNodeId()));
        }

        @Override
        public DataValue[] values(HistoryReadResult answer) {
            return given.get(answer);
        }
    }

    private static Item item(int node) {
        return new Item(new NodeId(2, node), "n " + node, "ns=2;i=" + node, null, new String[0]);
    }

    private static List<Past> all(History history, int most) throws Exception {
        List<Past> all = new ArrayList<>();
        while (!history.isDone()) {
            List<Past> next = history.next();
            assertTrue(next.size() <= most, () -> next.size() + " values at once");
            all.addAll(next);
        }
        for (int k = 1; k < all.size(); k++) {
            assertTrue(all.get(k - 1).micros() <= all.get(k).micros(), "not in order");
        }
        return all;
    }

    private static List<Long> of(List<Past> all, int node) {
        return all.stream().filter(each -> each.item().node().equals(item(node).node())).map(Past::micros).toList();
    }

    private static List<Long> each(long period, long after, long end) {
        return IntStream.rangeClosed(0, (int) (end / period)).mapToObj(k -> k * period).filter(at -> at > after).toList();
    }

    @Test
    void allNodesComeTogetherInTheOrderOfTimeFromTheirLastValuesOn() throws Exception {
        Archive archive = new Archive(10 * SECOND, 4, 1).having(1, SECOND).having(2, 300 * MILLI).having(3, 700 * MILLI);
        History history = new History(archive, List.of(new Known(item(1), 0), new Known(item(2), 4 * SECOND),
                new Known(item(3), 20 * SECOND)), 100 * SECOND);
        List<Past> all = all(history, 100);
        assertEquals(each(SECOND, 0, 10 * SECOND), of(all, 1));
        assertEquals(each(300 * MILLI, 4 * SECOND, 10 * SECOND), of(all, 2));
        assertEquals(List.of(), of(all, 3));
        assertEquals(Set.of(), archive.held);
        assertEquals(List.of(), history.refused());
    }

    @Test
    void aSliceThatHasTooMuchIsCutInTwo() throws Exception {
        Archive archive = new Archive(100 * SECOND, 1_000, 10).having(1, MILLI).having(2, 10 * SECOND);
        History history = new History(archive, List.of(new Known(item(1), 0), new Known(item(2), 0)), 200 * SECOND);
        List<Past> all = all(history, History.MOST);
        assertEquals(each(MILLI, 0, 100 * SECOND), of(all, 1));
        assertEquals(each(10 * SECOND, 0, 100 * SECOND), of(all, 2));
        assertTrue(archive.count < 300_000, () -> archive.count + " values were read for 100,010");
        assertEquals(Set.of(), archive.held);
    }

    @Test
    void nodesWithoutAHistoryAreTold() throws Exception {
        Archive archive = new Archive(SECOND, 1_000, 10).having(1, SECOND);
        History history = new History(archive, List.of(new Known(item(1), 0), new Known(item(9), 0)), 10 * SECOND);
        assertEquals(List.of(SECOND), of(all(history, 1), 1));
        assertEquals(List.of("ns=2;i=9 (Bad_HistoryOperationUnsupported)"), history.refused());
        assertTrue(new History(archive, List.of(), SECOND).isDone());
    }
}
