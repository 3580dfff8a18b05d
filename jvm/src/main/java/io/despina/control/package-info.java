/**
 * The life of a job: the coordinator, which checks, plans, places, deploys, watches, reports and cleans up, and the
 * resource's side of it. They speak {@link io.despina.control.Message}s, over an authenticated connection or within one JVM.
 */
package io.despina.control;
