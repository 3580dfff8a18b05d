package io.despina.control.coordinator;

import io.despina.spec.BucketMap;
import java.util.Map;
import java.util.TreeMap;

/** Which instance has which bucket of keys, by operator, in one attempt of a job. Guarded by the lock of the attempt. */
final class BucketPlaces {
    private final Map<String, BucketMap> maps = new TreeMap<>();

    private BucketPlaces() {
    }

    /**
     * When an attempt begins.
     *
     * @param starting by operator that has keys, how a job starts
     * @param before   by operator, as the manifest has it from which the attempt goes on
     */
    static BucketPlaces of(Map<String, BucketMap> starting, Map<String, String> before) {
        BucketPlaces places = new BucketPlaces();
        starting.forEach((operator, start) -> places.maps.put(operator,
                start.goingOn(before.containsKey(operator) ? BucketMap.parse(before.get(operator)) : null)));
        return places;
    }

    /** Null for an operator without buckets. */
    BucketMap of(String operator) {
        return maps.get(operator);
    }

    /** A move is done. */
    void put(String operator, BucketMap map) {
        maps.put(operator, map);
    }

    /** The maps that differ from those with which a job starts that gives buckets to all instances; for a manifest. */
    Map<String, String> kept() {
        Map<String, String> kept = new TreeMap<>();
        maps.forEach((operator, map) -> {
            if (!map.hasOwnersOf(BucketMap.even(map.buckets(), map.instances()))) {
                kept.put(operator, map.text());
            }
        });
        return kept;
    }
}
