package io.despina.control.coordinator;

import io.despina.spec.BucketMap;
import io.despina.spec.ControlAnswer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether what moves from one resource to another has room there: nobody knows before all who give and take have answered. */
final class MoveRoom {
    /** Keys are not as many in each bucket. */
    private static final long MARGIN = 2;

    private MoveRoom() {
    }

    /**
     * Why there is none.
     *
     * @param prepared what the instances concerned have answered: {@code BYTES ROOM}, see {@code JobCommands.prepareMove}
     * @param hosts    by instance, its resource
     * @return in words; empty if there is room
     */
    static String lacking(BucketMap before, BucketMap after, List<ControlAnswer> prepared, List<String> hosts) {
        Map<String, Long> rooms = new HashMap<>();
        Map<String, Long> coming = new HashMap<>();
        for (ControlAnswer each : prepared) {
            String[] said = each.answer().split(" ");
            rooms.put(hosts.get(each.instance()), Long.parseLong(said[1]));
            for (int taker : before.takers(after, each.instance())) {
                if (!hosts.get(taker).equals(hosts.get(each.instance()))) {
                    coming.merge(hosts.get(taker), part(before, after, Long.parseLong(said[0]), each.instance(), taker),
                            Long::sum);
                }
            }
        }
        return coming.entrySet().stream().filter(each -> each.getValue() > rooms.get(each.getKey())).findFirst()
                .map(each -> "what would come to `" + each.getKey() + "`, up to " + each.getValue() + " bytes, has no room "
                        + "there: " + rooms.get(each.getKey()) + " bytes are left for states; raise memory_bytes").orElse("");
    }

    /** What leaves an instance for another, by the buckets that do: not more than all that it keeps. */
    private static long part(BucketMap before, BucketMap after, long bytes, int giver, int taker) {
        int has = 0;
        int gives = 0;
        for (int bucket = 0; bucket < before.buckets(); bucket++) {
            boolean its = before.owner(bucket) == giver;
            has += its ? 1 : 0;
            gives += its && after.owner(bucket) == taker ? 1 : 0;
        }
        return Math.min(bytes, MARGIN * bytes * gives / has);
    }
}
