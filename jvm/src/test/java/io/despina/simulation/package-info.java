/**
 * The simulator: whole jobs over several resources, with the production's tasks, ports and queues, in one thread under a
 * seed. Clock, worker loops and network are cranked by {@link io.despina.simulation.Simulation}, which interleaves, delays
 * and stalls them at random; the same seed does the same again.
 */
package io.despina.simulation;
