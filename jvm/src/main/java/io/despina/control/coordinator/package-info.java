/** The coordinator's side of jobs: checks, plans, places, deploys, watches, reports and cleans up. */
package io.despina.control.coordinator;
