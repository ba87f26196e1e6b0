"""The staff pages of routing."""

from django.urls import path

from routing.staff import report, report_actions, report_list, routes, tree_editor, trees

urlpatterns = [
    path("staff/reports/", report_list.report_list, name="staff-reports"),
    path("staff/reports/reports.csv", report_list.reports_csv, name="staff-reports-csv"),
    path("staff/reports/act/", report_actions.act_on_chosen, name="staff-reports-act"),
    path("staff/reports/<opaque:public_id>/", report.report, name="staff-report"),
    path("staff/reports/<opaque:public_id>/act/", report_actions.act_on_one, name="staff-report-act"),
    path("staff/reports/<opaque:public_id>/picture.svg", report.report_picture, name="staff-report-picture"),
    path("staff/routes/", routes.route_list, name="staff-routes"),
    path("staff/routes/<name:slug>/", routes.route, name="staff-route"),
    path("staff/new-route/", routes.new_route, name="staff-route-new"),
    path("staff/trees/", trees.tree_list, name="staff-trees"),
    path("staff/trees/<name:slug>/", trees.tree, name="staff-tree"),
    path("staff/trees/<name:slug>/try/", trees.try_tree, name="staff-tree-try"),
    path("staff/trees/<name:slug>/versions/", trees.versions, name="staff-tree-versions"),
    path("staff/trees/<name:slug>/versions/<int:number>/restore/", trees.restore, name="staff-tree-restore"),
    path("staff/trees/<name:slug>/edit/", tree_editor.edit, name="staff-tree-edit"),
    path("staff/new-tree/", tree_editor.new, name="staff-tree-new"),
    path("staff/check-tree/", tree_editor.check, name="staff-tree-check"),
]
