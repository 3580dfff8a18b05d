package io.despina.snapshot;

/**
 * That a coordinator has taken an attempt over which goes on: from then on those before it can complete no epoch of it.
 *
 * @param turn          of the attempt; ascends from 1, and is 0 for whoever has claimed the attempt itself
 * @param coordinator   id of the process that takes it
 * @param host          where that runs
 * @param pid           of that process
 * @param takenAtMillis since 1970-01-01T00:00Z, by its clock
 */
public record TurnClaim(int attempt, int turn, String coordinator, String host, long pid, long takenAtMillis) {

    public static TurnClaim by(Holder who, int attempt, int turn, long takenAtMillis) {
        return new TurnClaim(attempt, turn, who.coordinator(), who.host(), who.pid(), takenAtMillis);
    }
}
