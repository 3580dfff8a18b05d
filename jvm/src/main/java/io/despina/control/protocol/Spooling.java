package io.despina.control.protocol;

/**
 * The sink whose rows a program reads from the disks of the resources, and how they are kept there.
 *
 * @param generation of the rows: part of the ids of their spools
 * @param toItsEnd   whether they are read to their end, so there must be one
 * @param folder     on the resource; null for its folder of temporary files
 * @param mostBytes  that an instance of the sink may have on disk
 * @param untilTaken whether the job may end once all rows have been taken; else its rows stay until they are let go
 */
public record Spooling(String sink, String generation, boolean toItsEnd, String folder, long mostBytes, boolean untilTaken) {
}
