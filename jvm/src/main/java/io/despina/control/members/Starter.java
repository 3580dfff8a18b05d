package io.despina.control.members;

import io.despina.control.process.Child;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import java.util.List;

/** Starts resources. */
@FunctionalInterface
public interface Starter {

    /**
     * Starts one with {@link ResourceMain}'s arguments.
     *
     * @return null if its end is not reported
     */
    Child start(Deployment.Resource resource, List<String> arguments, String secret) throws Refusal;
}
