package io.despina.control.protocol;

import java.util.List;

/**
 * Where an attempt keeps its state.
 *
 * @param address    of the store: an absolute path, or an address of a file system that Hadoop knows
 * @param graph      whose folder it is there
 * @param from       the epoch from which the attempt goes on; 0 if it begins anew
 * @param committed  whether all sinks have committed that epoch, so that none commits it again
 * @param poison     records that are given to no operator any more
 * @param lostMillis how long the attempt goes on in resources that have lost their coordinator; 0 if it ends with that
 */
public record StatePlace(String address, String graph, long from, boolean committed, List<PoisonRecord> poison,
        long lostMillis) {

    /** Of an attempt that ends with its coordinator. */
    public StatePlace(String address, String graph, long from, boolean committed, List<PoisonRecord> poison) {
        this(address, graph, from, committed, poison, 0);
    }

    /** The same of one that goes on for so long. */
    public StatePlace outliving(long millis) {
        return new StatePlace(address, graph, from, committed, poison, millis);
    }

    /** The same, going on from that epoch. */
    public StatePlace at(long epoch) {
        return new StatePlace(address, graph, epoch, committed, poison, lostMillis);
    }

    /** The same, with those records. */
    public StatePlace leavingOut(List<PoisonRecord> records) {
        return new StatePlace(address, graph, from, committed, records, lostMillis);
    }
}
