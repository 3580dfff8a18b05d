/** The coordinator's side of jobs: checks, plans, places, deploys and monitors them, reports, and cleans up. */
package io.despina.control.coordinator;
