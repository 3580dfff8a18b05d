package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.database.source.FoundTable;
import io.despina.plan.OperatorSpec;
import java.io.IOException;
import java.util.List;

/** A spec that can make instances of its operator. */
interface ExecutableSpec extends OperatorSpec {

    Operator make(InstanceContext making);

    /** Tries what it connects to, without an instance of it; null if it connects to nothing. */
    default Probe probe(InstanceContext making) {
        return null;
    }

    /**
     * Looks for what its instances have left at a server, or removes it, in place of a probe; null if they leave nothing.
     *
     * @param names by which the server knows them, as the job's state folder has them
     */
    default Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
        return null;
    }

    /** What a source of a table could read of it. */
    default FoundTable table(InstanceContext making, long millis) throws IOException {
        throw new IllegalStateException(making.id() + " reads no table");
    }

    /** Its parts, if it {@link #canBeDivided}. */
    default Halves halves(InstanceContext making) {
        throw new IllegalStateException(making.id() + " is not divided");
    }
}
