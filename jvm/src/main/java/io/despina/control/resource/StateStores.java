package io.despina.control.resource;

import io.despina.snapshot.SnapshotStores;
import java.util.concurrent.Executor;

/**
 * How a resource reaches the states of jobs.
 *
 * @param stores by their addresses
 * @param disk   runs what may wait for one
 */
record StateStores(SnapshotStores.ByAddress stores, Executor disk) {
}
