package io.despina.control.assembly;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.epoch.RestoreWish;
import io.despina.control.protocol.Refusal;
import io.despina.snapshot.Claim;
import io.despina.snapshot.SnapshotStores;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How a job outlives the loss of what it runs on.
 *
 * @param state       the folder that keeps its state: a path, or an address of a file system that Hadoop knows; null for a job
 *                    that keeps none
 * @param everyMillis from the beginning of an epoch to that of the next
 * @param start       where it begins if there is a state
 * @param from        a savepoint's folder or the number of an epoch, for {@link Beginning#FROM}; else null
 * @param changes     what the user said of operators that are not as they were there
 * @param sinceMillis when the command was first started of which this may be a later start, by the clock of this machine; 0 if it
 *                    is not
 * @param spares      how many processes stand by, whatever the deployment says; null for as many as that says
 * @param isPart      whether Spark runs the rest of the graph, and keeps how far it is elsewhere
 */
public record Recovery(String state, long everyMillis, Beginning start, String from, RestoreWish.Changes changes,
        long sinceMillis, Integer spares, boolean isPart) {
    /** Of a job that keeps no state. */
    public static final Recovery NONE = new Recovery(null, 0, Beginning.NEWEST, null, RestoreWish.Changes.NONE, 0,
            null, false);
    private static final String DROP = "drop";
    private static final String RENAME = "rename";
    private static final String SPARES = "spares";
    private static final long EVERY_MILLIS = 1_000;
    private static final long LEAST_MILLIS = 10;

    /** Where a job begins. */
    public enum Beginning {
        /** At the newest epoch of the state, or anew if there is none. */
        NEWEST,
        /** At the newest epoch of the state, which must be there. */
        RESUME,
        /** At its beginning, whatever the state has. */
        ANEW,
        /** At a savepoint, or at a named epoch. */
        FROM
    }

    /** Of {@code {"drop": [id], "rename": {old id: new id}}}. */
    public static RestoreWish.Changes changes(ObjectNode options) {
        Map<String, String> renamed = new HashMap<>();
        options.path(RENAME).properties().forEach(each -> renamed.put(each.getKey(), each.getValue().asText()));
        Set<String> dropped = new HashSet<>();
        options.path(DROP).forEach(each -> dropped.add(each.asText()));
        return new RestoreWish.Changes(renamed, dropped);
    }

    static Recovery parse(ObjectNode options) throws Refusal {
        boolean resume = options.path("resume").asBoolean();
        boolean anew = options.path("from_start").asBoolean();
        String from = options.hasNonNull("from") ? options.get("from").asText() : null;
        if ((resume ? 1 : 0) + (anew ? 1 : 0) + (from != null ? 1 : 0) > 1) {
            throw new Refusal("options", "resume, from and from_start each say where the job begins, and one of them may", null);
        }
        Beginning start = resume ? Beginning.RESUME : anew ? Beginning.ANEW : from != null ? Beginning.FROM : Beginning.NEWEST;
        if (!options.hasNonNull("state")) {
            refuseWithoutState(options);
            return NONE;
        }
        if (anew && (options.has(DROP) || options.has(RENAME))) {
            throw new Refusal("options", "drop and rename are about what a job goes on from, and from_start begins anew", null);
        }
        long every = options.path("epoch_ms").asLong(EVERY_MILLIS);
        if (every < LEAST_MILLIS) {
            throw new Refusal("options", "epoch_ms=" + options.get("epoch_ms") + " is no number from " + LEAST_MILLIS + " on",
                    null);
        }
        return new Recovery(options.get("state").asText(), every, start, from, changes(options),
                options.path("supervised_since_ms").asLong(0), spares(options), options.path("part").asBoolean());
    }

    private static Integer spares(ObjectNode options) throws Refusal {
        if (!options.hasNonNull(SPARES)) {
            return null;
        }
        int spares = options.get(SPARES).asInt(-1);
        if (spares < 0) {
            throw new Refusal("options", "spares=" + options.get(SPARES) + " is no number from 0 on", null);
        }
        return spares;
    }

    private static void refuseWithoutState(ObjectNode options) throws Refusal {
        for (String each : new String[] {"epoch_ms", "resume", "from", "from_start", DROP, RENAME, SPARES,
            "coordinator_lost_ms", "standby", "registry"}) {
            boolean given = options.hasNonNull(each) && !(options.get(each).isBoolean() && !options.get(each).asBoolean());
            if (given) {
                throw new Refusal("options", each + " is about the state of a job, and this one keeps none",
                        "name the folder of its state, too");
            }
        }
    }

    /**
     * The same for a command that is started again. If an earlier start of it began an attempt, that was from where the user
     * said; it goes on from what was kept since. An attempt that had not got so far counts as none.
     *
     * @param claims in the state folder
     */
    public Recovery after(List<Claim> claims) {
        boolean begun = sinceMillis > 0
                && claims.stream().anyMatch(each -> each.start() != null && each.claimedAtMillis() >= sinceMillis);
        if (!begun) {
            return this;
        }
        Beginning next = start == Beginning.FROM ? Beginning.RESUME : start == Beginning.ANEW ? Beginning.NEWEST : start;
        return new Recovery(state, everyMillis, next, null, RestoreWish.Changes.NONE, sinceMillis, spares, isPart);
    }

    /** Whether it goes on from what was kept last, with the operators as they were then. */
    public boolean goesOnAsItWas() {
        return (start == Beginning.NEWEST || start == Beginning.RESUME) && changes.equals(RestoreWish.Changes.NONE);
    }

    /** Whether that is in a folder of its machine, where operators keep logs too. */
    public boolean isLogged() {
        return state != null && !SnapshotStores.isAddress(state);
    }

    /** Whether the job keeps a state. */
    public boolean isOn() {
        return state != null;
    }
}
