package io.despina.control.epoch;

import io.despina.snapshot.Manifest;
import java.util.Map;
import java.util.Set;

/**
 * How a start of a job shall treat what its state folder has.
 *
 * @param resume    goes on from what is there, if anything is; else the folder must be empty
 * @param epoch     the epoch from which to go on, as the user named it; 0 for the newest
 * @param savepoint address of a savepoint from which to go on, or null
 * @param kept      what the savepoint's manifest says; null without one
 * @param changes   what the user said of operators that are not as they were
 * @param isPart    whether Spark runs the rest of the graph, which goes back to no earlier epoch
 */
public record RestoreWish(boolean resume, long epoch, String savepoint, Manifest kept, Changes changes, boolean isPart) {

    /** Goes on from the newest epoch, or begins anew if there is none. */
    public static RestoreWish newest(boolean isPart) {
        return new RestoreWish(true, 0, null, null, Changes.NONE, isPart);
    }

    /**
     * What the user said of operators.
     *
     * @param renamed by old id: the new one
     * @param dropped ids whose states may be lost
     */
    public record Changes(Map<String, String> renamed, Set<String> dropped) {
        public static final Changes NONE = new Changes(Map.of(), Set.of());

        public Changes {
            renamed = Map.copyOf(renamed);
            dropped = Set.copyOf(dropped);
        }

        public boolean isEmpty() {
            return renamed.isEmpty() && dropped.isEmpty();
        }
    }
}
