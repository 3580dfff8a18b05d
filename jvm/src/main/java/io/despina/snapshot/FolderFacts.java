package io.despina.snapshot;

import java.util.List;

/**
 * What lies in the state folder of a graph, as it was read at once.
 *
 * @param id              of the folder, null if nobody has claimed it: a job that starts anew elsewhere has another
 * @param greatestAttempt 0 if there was none
 * @param greatestEpoch   the greatest number that was ever used, also by what is not complete; 0 if there was none
 * @param claims          the attempts whose claim could be read, ascending
 * @param epochs          ascending
 */
public record FolderFacts(String id, int greatestAttempt, long greatestEpoch, List<Claim> claims, List<EpochFacts> epochs) {
    public FolderFacts {
        claims = List.copyOf(claims);
        epochs = List.copyOf(epochs);
    }
}
