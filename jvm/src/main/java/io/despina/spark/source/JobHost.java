package io.despina.spark.source;

import io.despina.control.coordinator.Coordinator;

/** Where the jobs run that Spark reads of: who makes the coordinator says what its resources are. */
@FunctionalInterface
interface JobHost {
    /** The driver's JVM, or what the deployment names. */
    JobHost IN_DRIVER = Coordinator::new;

    /** A coordinator of one job, closed with it. */
    Coordinator coordinator();
}
