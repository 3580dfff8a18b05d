package io.despina.connect;

/** What a target that keeps a marker of each epoch, in the transaction of the epoch's rows, says of one. */
public enum Marker {
    /** Its rows are there. */
    THERE,
    /** They are not, and nothing that was sent before will make them appear. */
    ABSENT,
    /** The target has thrown away what it would need to say so. */
    PRUNED
}
