package io.despina.python;

/**
 * In which slots of a process the keys of a batch are. A slot has a key and the state of that key.
 *
 * @param first  the number of the first slot that gets a new key; the process forgets it and all behind it
 * @param keys   of the new keys, as {@link io.despina.arrow.BatchWriter#take} gives it; null if there are none
 * @param states of these keys, alike
 * @param rows   of each row the number of its slot
 * @param times  of each row its event time in microseconds since 1970, for a function whose keys go by event time
 */
public record BatchSlots(int first, byte[] keys, byte[] states, int[] rows, long[] times) {
}
